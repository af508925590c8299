// A reporter for vitest: names, at the end of a run, the tests that passed only when they were run again (vitest.config.ts
// says which may be). A machine that was busy is one reason; a test that is named here more than once has another.

export default class SecondTries {
  #names = [];

  onTestCaseResult(test) {
    if (test.diagnostic()?.flaky === true)
      this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestRunEnd() {
    for (const name of this.#names) console.log(`passed when it was run again: ${name}`);
  }
}
