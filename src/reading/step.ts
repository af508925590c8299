// How a reader says that it goes on. Neither a regular expression nor pdf.js gives the thread up while it works, so that no
// timer of that thread could end it: whoever waits outside is told how long the next step may take.

/** `gate`: telling what a file is and whether it is within the bounds; `page`: opening it, or one page; `rest`: all else. */
export type ReadingPart = 'gate' | 'page' | 'rest';

/** `withinMs` of the thread's processor time until the next call; undefined: until the deadline of the whole. */
export type Step = (part: ReadingPart, withinMs: number | undefined) => void;
