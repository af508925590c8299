// The little of fluent-ffmpeg 2.1.3 that Voxgate and its tests use; the package brings no types.
declare module 'fluent-ffmpeg' {
  export type LinesRing = { get(): string };
  type OnEnd = (error: Error | null | undefined, stdout?: LinesRing, stderr?: LinesRing) => void;
  export type FfmpegCommand = {
    input(path: string): FfmpegCommand;
    inputOptions(...options: readonly string[]): FfmpegCommand;
    complexFilter(graph: string, output: string): FfmpegCommand;
    output(path: string): FfmpegCommand;
    audioFilters(filters: string | readonly string[]): FfmpegCommand;
    outputOptions(options: readonly string[]): FfmpegCommand;
    outputOptions(...options: readonly string[]): FfmpegCommand;
    setFfmpegPath(path: string): FfmpegCommand;
    on(event: 'start', listener: () => void): FfmpegCommand;
    on(event: 'stderr', listener: (line: string) => void): FfmpegCommand;
    on(event: 'error', listener: (error: Error) => void): FfmpegCommand;
    on(event: 'end', listener: (stdout?: string | null, stderr?: string | null) => void): FfmpegCommand;
    run(): void;
    /** Starts it; what it writes. */
    pipe(): NodeJS.ReadableStream;
    kill(signal: 'SIGKILL'): void;
    /** Internal; see ffmpeg-command.ts. */
    _spawnFfmpeg(args: string[], options: object, onProcess: unknown, onEnd?: OnEnd): void;
  };
  export type ProbeData = {
    readonly streams: readonly {
      readonly codec_name?: string;
      readonly sample_rate?: number;
      readonly channels?: number;
      readonly duration?: number | 'N/A';
      readonly tags?: Readonly<Record<string, string>>;
    }[];
    readonly format: {
      readonly format_name?: string;
      readonly duration?: number | 'N/A';
      readonly tags?: Readonly<Record<string, string>>;
    };
  };
  function ffmpeg(
    input?: string | NodeJS.ReadableStream | { readonly niceness?: number; readonly stdoutLines?: number },
  ): FfmpegCommand;
  namespace ffmpeg {
    function ffprobe(path: string, done: (error: Error | null, data: ProbeData) => void): void;
  }
  export default ffmpeg;
}
