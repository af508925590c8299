// A type that the AsyncAPI parser's own declarations mention and do not bring.
declare module 'node-fetch';
