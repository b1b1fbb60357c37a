/** English: records of contests and matches. */
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
  'check-record': 'Check this record',
  'record-holds': 'The record holds: everything in it fits, and this service has signed it.',
  'record-fails': 'The record does not hold. These places do not fit; look at the first.',
  'record-proven': 'What it proves',
  'record-not-proven': 'What it does not prove',
  'check-yourself':
    'This is the word of the service that has signed it. To believe nobody, save the record and check it yourself: broadside verify.',
};
