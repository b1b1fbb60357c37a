/** Français : résultats des compétitions et procès-verbaux des parties. */
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
  'check-record': 'Vérifier ce procès-verbal',
  'record-holds': 'Le procès-verbal tient : tout y concorde, et ce service l’a signé.',
  'record-fails': 'Le procès-verbal ne tient pas. Ces endroits ne concordent pas ; regardez le premier.',
  'record-proven': 'Ce qu’il prouve',
  'record-not-proven': 'Ce qu’il ne prouve pas',
  'check-yourself':
    'C’est la parole du service qui l’a signé. Pour ne croire personne, enregistrez-le et vérifiez-le vous-même : broadside verify.',
};
