export function areProgramsStale(outDir: string): boolean;
/** Of a source, from the output folder; undefined: nothing is made of it. */
export function outputOf(source: string): string | undefined;
