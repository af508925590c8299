import { it, afterAll } from 'vitest';
import { engineForTest, speak, closeEngines, ADAM, ANNA } from './engine-fixture.ts';
afterAll(closeEngines);
function pitch(bytes: Buffer, rate: number, size: number) {
  const x = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1);
  const low = Math.floor(rate / 400), high = Math.ceil(rate / 70);
  const sum = new Float64Array(high + 1); 
  for (let at = 0; at + size + high < x.length; at += size) {
    let here = 0; for (let i = at; i < at + size; i++) here += x[i]! ** 2;
    if (here < size * 1e5) continue;
    for (let lag = low; lag <= high; lag++) { let p = 0, there = 0; for (let i = at; i < at + size; i++) { p += x[i]! * x[i + lag]!; there += x[i + lag]! ** 2; } sum[lag]! += p / Math.sqrt(here * there + 1); }
  }
  let best = low; for (let lag = low; lag <= high; lag++) if (sum[lag]! > sum[best]!) best = lag;
  return rate / best;
}
const TEXT = 'We are going down to the harbour early in the morning, because the boats come in before sunrise. Then we walk home.';
it('x', async () => {
  const e = await engineForTest();
  for (const v of [ANNA, ADAM]) {
    const at = async (speed: number) => { const t=performance.now(); const b = await speak(e, { text: TEXT, voice: v, speed, temperature: 0, sampleRate: 16000 }); const ms=performance.now()-t; return { s: b.length / 32000, p: [300,400,600].map(n=>pitch(b, 16000, n)), ms }; };
    const base = await at(1);
    const rows=[];
    for (const s of [0.1, 0.2, 0.4, 0.7, 1, 1.5, 2.5, 4, 5]) { const r = await at(s); rows.push(`${s}: ${r.s.toFixed(2)}s ratio ${(base.s / r.s / s).toFixed(3)} pitch ${r.p.map((p,i)=>(p/base.p[i]!).toFixed(3))} ${(r.s*1000/r.ms).toFixed(0)}x`); }
    console.log(v, base.s.toFixed(2), base.p.map(x=>x.toFixed(0)), '\n' + rows.join('\n'));
  }
}, 60000);
