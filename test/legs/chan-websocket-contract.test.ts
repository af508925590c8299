// Asterisk's chan_websocket keeps the contract of all legs, too; what is its own has tests of its own.
import { chanWebSocketLeg } from '../../src/legs/chan-websocket-leg.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { legContract } from '../conformance/leg-contract.ts';

legContract('Asterisk', { leg: chanWebSocketLeg, ...CARRIERS['chan-websocket']!, fate: 'played' });
