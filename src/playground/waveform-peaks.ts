// The loudest sample of each short stretch, for drawing: as far back as a wide screen shows, in a ring that is allocated
// once. Stretches are numbered like samples, from the first that was ever given.

export type WaveformPeaks = {
  /** Samples of one stretch. */
  readonly stretch: number;
  add(samples: Float32Array): void;
  /** Forgets everything at or after sample `from`, and goes on there. */
  cut(from: number): void;
  /** 0…1; 0 where nothing is known. */
  peak(column: number): number;
};

const COLUMNS = 4096;

export function createWaveformPeaks(stretch: number): WaveformPeaks {
  const peaks = new Float32Array(COLUMNS);
  let count = 0;
  let newest = -1;
  const open = (column: number) => {
    for (; newest < column; newest++) peaks[(newest + 1) % COLUMNS] = 0;
    return column % COLUMNS;
  };
  return {
    stretch,
    add(samples) {
      for (const sample of samples) {
        const at = open(Math.floor(count / stretch));
        const size = Math.abs(sample);
        if (size > peaks[at]!) peaks[at] = size;
        count += 1;
      }
    },
    cut(from) {
      count = from;
      for (let column = Math.ceil(from / stretch); column <= newest; column++) peaks[column % COLUMNS] = 0;
      newest = Math.max(Math.min(newest, Math.ceil(from / stretch) - 1), newest - COLUMNS);
    },
    peak: (column) =>
      column > newest || column <= newest - COLUMNS || column < 0 ? 0 : peaks[column % COLUMNS]!,
  };
}
