export type Stage = {
  readonly name: string;
  readonly from: string;
  readonly steps: readonly { readonly keyword: string; readonly value: unknown; readonly line: number }[];
};
export function parseDockerfile(text: string): readonly Stage[];
