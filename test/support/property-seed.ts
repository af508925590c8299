import fc from 'fast-check';

// Every run of the suite looks at the same examples, so that a red build means a change and not a throw of the dice.
// PROPERTY_SEED=random looks further; a failure prints the seed it was found with, which is given back the same way.

const asked = process.env.PROPERTY_SEED;
if (asked !== 'random') fc.configureGlobal({ seed: asked === undefined ? 20_261_122 : Number(asked) });
