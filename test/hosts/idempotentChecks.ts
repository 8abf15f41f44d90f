import { describe } from "vitest";
import { answerChecks } from "../idempotency/checks/answers.js";
import { bodyChecks } from "../idempotency/checks/bodies.js";
import { failureChecks } from "../idempotency/checks/failures.js";
import type { IdempotentHost } from "../idempotency/checks/host.js";
import { keyChecks } from "../idempotency/checks/keys.js";
import { raceChecks } from "../idempotency/checks/races.js";
import { streamChecks } from "../idempotency/checks/streams.js";

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
