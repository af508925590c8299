// How a reader says that it goes on. pdf.js never gives the thread up while it reads a page, so that no timer of that
// thread could end it: whoever waits outside is told how long the next step may take.

/** `withinMs` until the next call; undefined: until the deadline of the whole. */
export type Step = (withinMs: number | undefined) => void;
