/** Where the API is: empty for the server that these files came from, else an address such as https://play.example.
 * @type {string} */
export const API = '';
