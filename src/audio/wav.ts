// The header of a WAV stream of 16-bit PCM: RIFF, one `fmt ` chunk, one `data` chunk, 44 bytes.
// (Multimedia Programming Interface and Data Specifications 1.0; format tag 1, WAVE_FORMAT_PCM.)

const HEADER_BYTES = 44;
/** What stands for a size that is not known when the header is sent. */
const UNKNOWN_SIZE = 0xffffffff;
const BYTES_PER_SAMPLE = 2;

export type WavLayout = {
  readonly sampleRate: number;
  readonly channels: 1;
  /** Bytes of audio that follow; absent (or past what 32 bits can tell) while streaming. */
  readonly dataBytes?: number;
};

export function wavHeader({ sampleRate, channels, dataBytes }: WavLayout): Uint8Array {
  const riffBytes = HEADER_BYTES - 8 + (dataBytes ?? UNKNOWN_SIZE);
  const isKnown = dataBytes !== undefined && riffBytes < UNKNOWN_SIZE;
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  const name = (at: number, fourLetters: string) => {
    for (let i = 0; i < 4; i++) header[at + i] = fourLetters.charCodeAt(i);
  };

  name(0, 'RIFF');
  view.setUint32(4, isKnown ? riffBytes : UNKNOWN_SIZE, true);
  name(8, 'WAVE');

  name(12, 'fmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * channels * BYTES_PER_SAMPLE, true);
  view.setUint16(32, channels * BYTES_PER_SAMPLE, true);
  view.setUint16(34, BYTES_PER_SAMPLE * 8, true);

  name(36, 'data');
  view.setUint32(40, isKnown ? dataBytes : UNKNOWN_SIZE, true);
  return header;
}
