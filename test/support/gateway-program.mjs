// A gateway of several processes, built, in a process of its own: the first of its own kind there, as node:cluster wants
// it. Takes its settings and its end from whoever has forked it, and tells its log.

import { parseConfig, startGateway } from '../../dist/bench/program-parts.js';

const tell = (message) => process.connected && process.send(message);
const keep = (level) => (event, fields) =>
  tell({ is: 'log', line: JSON.stringify({ level, event, ...fields }) });
const log = { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };

let gateway;
process.on('disconnect', () => process.exit(1));
const obey = async (message) => {
  try {
    if (message.is === 'start') {
      const parsed = parseConfig({ env: message.env, flags: [], file: () => '' });
      if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
      gateway = await startGateway({
        config: parsed.config,
        log,
        version: '0.0.0-test',
        searchPath: process.env.PATH,
      });
      const { url, sessionUrl, playgroundUrl, engineUrl, adminUrl } = gateway;
      tell({ is: 'started', urls: { url, sessionUrl, playgroundUrl, engineUrl, adminUrl } });
    } else {
      await gateway.stop(message.drainMs);
      tell({ is: 'stopped' });
    }
  } catch (error) {
    tell({ is: 'failed', message: error.message });
  }
};
process.on('message', (message) => void obey(message));
