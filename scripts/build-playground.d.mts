/** Types of build-playground.mjs, for the tests that build the page. */
export function buildPlayground(outDir: string): Promise<void>;
