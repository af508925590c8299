/** Where the package of the client has its bundles. */
export const CLIENT_DIST: string;
/** Into `outDir`, CLIENT_DIST unless given. Throws when the sources do not build, or need anything that is not theirs. */
export function buildClient(outDir?: string, options?: { readonly minify?: boolean }): Promise<void>;
/** `typesDir`: what the compiler has made of the sources, by their places. It is removed. */
export function placeClientTypes(typesDir: string, dist: string): void;
