// The words for what is no message at all, the same in every protocol whose messages are JSON.

export const NOT_JSON = 'message: must be JSON, one object in each text frame; this one cannot be parsed';
export const NO_MESSAGE = 'message: must be a JSON object with a type';
export const NO_OBJECT = 'message: must be a JSON object';
