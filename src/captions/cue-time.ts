// A time of a caption file as hours, minutes, seconds and milliseconds.

const two = (value: number) => String(value).padStart(2, '0');

/** `01:02:03.004`, with the mark given before the milliseconds. Hours are always there, which every reader takes. */
export function cueTime(ms: number, mark: '.' | ','): string {
  const whole = Math.max(0, Math.round(ms));
  const seconds = Math.floor(whole / 1000);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  return `${clock}${mark}${String(whole % 1000).padStart(3, '0')}`;
}
