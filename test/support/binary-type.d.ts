// @deepgram/sdk names a type of the DOM, which this project does not load.

type BinaryType = 'arraybuffer' | 'blob';
