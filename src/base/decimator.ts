// Decimation of a sound whose upper band is empty: of each `stride` samples the first is kept.

/** Takes the sound in pieces; answers in an array that is used again. */
export function createDecimator(stride: number): (samples: Float32Array) => Float32Array {
  if (stride === 1) return (samples) => samples;
  let kept = new Float32Array(0);
  let skip = 0;
  return (samples) => {
    const count = Math.max(0, Math.ceil((samples.length - skip) / stride));
    if (count > kept.length) kept = new Float32Array(count);
    for (let i = 0; i < count; i++) kept[i] = samples[skip + i * stride]!;
    skip += count * stride - samples.length;
    return kept.subarray(0, count);
  };
}
