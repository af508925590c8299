// The message with which a call of Twilio begins, as far as a leg reads it.

export const TWILIO_START: string = JSON.stringify({
  event: 'start',
  streamSid: 'MZ1',
  start: {
    streamSid: 'MZ1',
    callSid: 'CA1',
    mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
  },
});
