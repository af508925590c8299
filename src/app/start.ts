// Starts a gateway of one process or of several, and its engine beside it; alone.ts and primary.ts build every object once and have them
// stopped in the reverse order.

import { launchEmbeddedEngine } from './engine.ts';
import type { Gateway, GatewayOptions, Stop } from './gateway.ts';

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const stops: Stop[] = [];
  const onStop = (stop: Stop) => void stops.push(stop);
  const stopAll = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  const { config, log } = options;
  try {
    const engine = config.upstreamUrl === undefined ? launchEmbeddedEngine({ ...config, log }) : undefined;
    onStop(() => engine?.close());
    // Loaded while the engine starts: each of the two takes about as long as the other.
    const start =
      config.processes === 1
        ? (await import('./alone.ts')).startAlone
        : (await import('./primary.ts')).startPrimary;
    return await start({ ...options, engine }, onStop, stopAll);
  } catch (error) {
    await stopAll();
    throw error;
  }
}
