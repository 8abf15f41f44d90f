import assert from "node:assert/strict";
import { assertDone, bytes } from "./assertions.js";
import type { IdempotencyScenario } from "./scenario.js";
import { acquired, type IdempotencyStage } from "./stage.js";

async function assertKept(stage: IdempotencyStage, response: Uint8Array): Promise<void> {
  const id = stage.id();
  const { operationId } = acquired(await stage.begin(id));
  assert.equal(await stage.store.complete(id, operationId, 1, response), true);
  assertDone(await stage.begin(id), response);
}

/** Pseudo-random bytes that compress badly and are the same in each run. */
function noise(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

export const responseScenarios: readonly IdempotencyScenario[] = [
  {
    name: "every byte value is returned unchanged",
    run: (stage) =>
      assertKept(
        stage,
        Uint8Array.from({ length: 256 }, (_, byte) => byte),
      ),
  },
  {
    name: "bytes that are not UTF-8 are returned unchanged",
    run: (stage) => assertKept(stage, Uint8Array.of(0xff, 0xfe, 0x00, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x0d, 0x0a)),
  },
  {
    name: "an empty response is a response",
    run: (stage) => assertKept(stage, new Uint8Array()),
  },
  {
    name: "a response of 1 MiB is returned unchanged",
    run: (stage) => assertKept(stage, noise(1_048_576)),
  },
  {
    name: "a view of a larger buffer is stored without the rest",
    run: (stage) => assertKept(stage, noise(1_000).subarray(100, 200)),
  },
  {
    name: "bytes that a writer or reader changes later do not change the response",
    async run(stage) {
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id));
      const response = bytes("response");
      assert.equal(await stage.store.complete(id, operationId, 1, response), true);
      response.fill(0);
      const begun = await stage.begin(id);
      assertDone(begun, bytes("response"));
      if (begun.kind === "done") begun.response.fill(0);
      assertDone(await stage.begin(id), bytes("response"));
    },
  },
];
