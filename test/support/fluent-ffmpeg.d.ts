// The little of fluent-ffmpeg that the tests use; the package brings no types.
declare module 'fluent-ffmpeg' {
  type Command = {
    output(path: string): Command;
    audioFilters(filters: string | readonly string[]): Command;
    outputOptions(options: readonly string[]): Command;
    on(event: 'error', listener: (error: Error) => void): Command;
    on(event: 'end', listener: () => void): Command;
    run(): void;
  };
  export type ProbeData = {
    readonly streams: readonly {
      readonly codec_name?: string;
      readonly sample_rate?: number;
      readonly channels?: number;
    }[];
    readonly format: { readonly format_name?: string; readonly duration?: number | 'N/A' };
  };
  function ffmpeg(input: string): Command;
  namespace ffmpeg {
    function ffprobe(path: string, done: (error: Error | null, data: ProbeData) => void): void;
  }
  export default ffmpeg;
}
