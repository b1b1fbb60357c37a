/** Address of the API, such as https://play.example; empty: the server of these files. @type {string} */
export const API = '';
