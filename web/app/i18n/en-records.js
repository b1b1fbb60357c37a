/** English: records and statistics of contests. */
export default {
  crosstable: 'Cross-table',
  'save-standings': 'Save the standings as a table (CSV)',
  'save-crosstable': 'Save the cross-table (CSV)',
  'shots-to-win': 'Shots to win',
  opponents: 'Opponents',
  honours: 'Honours',
  'honour-winner': 'Winner',
  'honour-podium': 'Place {rank}',
  'honour-promoted': 'Promoted',
  season: 'season {number}',
  'past-seasons': 'Past seasons',
  'ended-at': 'Ended',
  winner: 'Winner',
};
