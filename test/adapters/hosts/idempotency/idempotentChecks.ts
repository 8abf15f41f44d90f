import { describe } from "vitest";
import { answerChecks } from "../../../parts/idempotency/checks/answers.js";
import { bodyChecks } from "../../../parts/idempotency/checks/bodies.js";
import { failureChecks } from "../../../parts/idempotency/checks/failures.js";
import type { IdempotentHost } from "../../../parts/idempotency/checks/host.js";
import { keyChecks } from "../../../parts/idempotency/checks/keys.js";
import { raceChecks } from "../../../parts/idempotency/checks/races.js";
import { streamChecks } from "../../../parts/idempotency/checks/streams.js";

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
