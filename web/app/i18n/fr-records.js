/** Français : résultats et statistiques des compétitions. */
export default {
  crosstable: 'Tableau croisé',
  'save-standings': 'Enregistrer le classement en tableau (CSV)',
  'save-crosstable': 'Enregistrer le tableau croisé (CSV)',
  'shots-to-win': 'Tirs pour gagner',
  opponents: 'Adversaires',
  honours: 'Palmarès',
  'honour-winner': 'Vainqueur',
  'honour-podium': '{rank}ᵉ place',
  'honour-promoted': 'Promotion',
  season: 'saison {number}',
  'past-seasons': 'Saisons passées',
  'ended-at': 'Terminée',
  winner: 'Vainqueur',
};
