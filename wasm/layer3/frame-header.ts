// What the decoder needs of a frame's header (ISO 11172-3 2.4.1.3, ISO 13818-3, MPEG-2.5). The host has checked that
// it is the header of a whole Layer III frame.

export const HEADER_BYTES: u32 = 4;
const CRC_BYTES: u32 = 2;

/** MPEG-1; otherwise one granule a frame, and scale factors of another layout. */
export let isMpeg1: bool = false;
/** 0–2: MPEG-1 at 44.1, 48 and 32 kHz; 3–5: half of that; 6–8: a quarter. */
export let rateIndex: u32 = 0;
export let channels: u32 = 0;
export let isMidSide: bool = false;
export let isIntensity: bool = false;
/** Where the side information begins, and how long it is. */
export let sideInfoAt: u32 = 0;
export let sideInfoBytes: u32 = 0;

/** False when a field is reserved. */
export function readHeader(frame: usize): bool {
  const second = load<u8>(frame, 1) as u32;
  const third = load<u8>(frame, 2) as u32;
  const fourth = load<u8>(frame, 3) as u32;
  const version = (second >> 3) & 3;
  const rate = (third >> 2) & 3;
  if (version === 1 || rate === 3) return false;
  isMpeg1 = version === 3;
  rateIndex = rate + (isMpeg1 ? 0 : version === 2 ? 3 : 6);
  const mode = fourth >> 6;
  channels = mode === 3 ? 1 : 2;
  isMidSide = mode === 1 && (fourth & 0x20) !== 0;
  isIntensity = mode === 1 && (fourth & 0x10) !== 0;
  sideInfoAt = HEADER_BYTES + ((second & 1) === 0 ? CRC_BYTES : 0);
  sideInfoBytes = isMpeg1 ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17;
  return true;
}
