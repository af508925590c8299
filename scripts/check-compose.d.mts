export type ImageConfig = {
  readonly healthcheck?: readonly string[];
  readonly ports: readonly number[];
  readonly volumes: readonly string[];
};
export function overlaid(base: unknown, override: unknown): unknown;
export function checkCompose(
  file: unknown,
  knows: {
    readonly images: { open(stage: string): { readonly config: ImageConfig } };
    readonly variables: ReadonlySet<string>;
    /** What the file is called in the lines. */
    readonly file?: string;
  },
): readonly string[];
