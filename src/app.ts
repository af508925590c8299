// Starts a gateway of one process or of several; app-alone.ts and app-primary.ts build every object once and have them
// stopped in the reverse order.

import { startAlone } from './app-alone.ts';
import type { Gateway, GatewayOptions, Stop } from './app-gateway.ts';
import { startPrimary } from './app-primary.ts';

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const stops: Stop[] = [];
  const onStop = (stop: Stop) => void stops.push(stop);
  const stopAll = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  const start = options.config.processes === 1 ? startAlone : startPrimary;
  try {
    return await start(options, onStop, stopAll);
  } catch (error) {
    await stopAll();
    throw error;
  }
}
