/** Français : résultats et statistiques des compétitions. */
export default {
  crosstable: 'Tableau croisé',
  'save-standings': 'Enregistrer le classement en tableau (CSV)',
  'save-crosstable': 'Enregistrer le tableau croisé (CSV)',
  'shots-to-win': 'Tirs pour gagner',
  opponents: 'Adversaires',
};
