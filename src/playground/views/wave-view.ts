// The sound on a canvas: what has been heard, in ink, up to the playhead, and what waits to be heard, in the accent. It
// scrolls with the sound, or, where people ask for less motion, turns pages.

import type { WaveformPeaks } from '../waveform-peaks.ts';

export type WaveMoment = {
  readonly peaks: WaveformPeaks;
  readonly sampleRate: number;
  /** The sample that is heard now, and those that have come. */
  readonly played: number;
  readonly received: number;
  /** The sample that the turn's time is counted from. */
  readonly startSample: number;
};

export type WaveView = { draw(moment: WaveMoment | undefined): void };

const COLUMN = 4;
const BAR = 2.4;
const PLAYHEAD = 0.74;
const AXIS = 22;
/** Speech rarely comes near full scale. */
const GAIN = 1.25;

export function createWaveView(canvas: HTMLCanvasElement): WaveView {
  const context = canvas.getContext('2d')!;
  const lessMotion = matchMedia('(prefers-reduced-motion: reduce)');
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let colours = readColours();
  let last: WaveMoment | undefined;

  function readColours() {
    const style = getComputedStyle(document.documentElement);
    const of = (name: string) => style.getPropertyValue(name).trim();
    return {
      ink: of('--ink'),
      soft: of('--soft'),
      line: of('--line'),
      faint: of('--faint'),
      accent: of('--accent'),
    };
  }
  dark.addEventListener('change', () => {
    colours = readColours();
    draw(last);
  });
  new ResizeObserver(() => draw(last)).observe(canvas);

  function draw(moment: WaveMoment | undefined): void {
    last = moment;
    const { clientWidth: width, clientHeight: height } = canvas;
    // In a view that is not shown: there is nothing to divide by.
    if (width === 0) return;
    const ratio = devicePixelRatio;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const middle = (height - AXIS) / 2 + 4;
    context.fillStyle = colours.line;
    context.fillRect(0, middle - 0.5, width, 1);
    if (moment === undefined) return;

    const { peaks, played } = moment;
    const columns = width / COLUMN;
    const head = played / peaks.stretch;
    const room = Math.max(1, Math.floor(columns * PLAYHEAD));
    const first = lessMotion.matches ? Math.floor(head / room) * room : head - columns * PLAYHEAD;
    const xOf = (column: number) => (column - first) * COLUMN;
    drawAxis(moment, xOf, { first, columns, height });
    for (let column = Math.floor(first); column < first + columns; column++) {
      const peak = Math.sqrt(Math.min(1, peaks.peak(column) * GAIN));
      if (peak === 0) continue;
      const half = Math.max(1, peak * (middle - 6));
      context.fillStyle = column < head ? colours.ink : colours.accent;
      context.beginPath();
      context.roundRect(xOf(column) + (COLUMN - BAR) / 2, middle - half, BAR, half * 2, BAR / 2);
      context.fill();
    }
    context.fillStyle = colours.accent;
    context.fillRect(xOf(head) - 0.75, 2, 1.5, height - AXIS + 4);
  }

  /** Seconds of the turn, below. */
  function drawAxis(
    { peaks, sampleRate, startSample }: WaveMoment,
    xOf: (column: number) => number,
    { first, columns, height }: { first: number; columns: number; height: number },
  ): void {
    const perSecond = sampleRate / peaks.stretch;
    const start = startSample / peaks.stretch;
    context.font = `11px ${getComputedStyle(canvas).fontFamily}`;
    context.textAlign = 'center';
    for (let second = Math.max(0, Math.floor((first - start) / perSecond)); ; second++) {
      const column = start + second * perSecond;
      if (column > first + columns) return;
      const x = xOf(column);
      context.fillStyle = colours.faint;
      context.fillRect(x - 0.5, height - AXIS, 1, 4);
      context.fillStyle = colours.soft;
      context.fillText(`${second} s`, x, height - 5);
    }
  }

  return { draw };
}
