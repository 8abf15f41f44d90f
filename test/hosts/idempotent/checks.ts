import { describe } from "vitest";
import { answerChecks } from "./answers.js";
import { bodyChecks } from "./bodies.js";
import { failureChecks } from "./failures.js";
import type { IdempotentHost } from "./host.js";
import { keyChecks } from "./keys.js";
import { raceChecks } from "./races.js";
import { streamChecks } from "./streams.js";

/** The same checks of the guard on every host, over real sockets. */
export function idempotentChecks(host: IdempotentHost): void {
  describe(`a guarded handler on ${host.name}`, () => {
    describe("keys", () => keyChecks(host));
    describe("answers", () => answerChecks(host));
    describe("request bodies", () => bodyChecks(host));
    describe("races", () => raceChecks(host));
    describe("failures", () => failureChecks(host));
    describe("streams and large bodies", () => streamChecks(host));
  });
}
