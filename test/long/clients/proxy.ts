import assert from "node:assert/strict";
import { tellStory } from "./fetchStory.js";
import { expectStory } from "./story.js";
import type { Tool } from "./tool.js";

/** A server between clients and the shop, which compares requests and answers with the document. */
export interface Proxy extends Omit<Tool, "attempt"> {
  /** Arguments of Node that start it, given the address of the shop. */
  start(shop: string): readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** The line that says that it listens, with the address as its group. */
  readonly announced: RegExp;
  /** What it refuses although the shop does not, as `lacks` and `differs` explain: each refusal matches one, and each matches a refusal. */
  readonly refuses: readonly RegExp[];
}

export function proxy({ start, files = {}, announced, refuses, ...row }: Proxy): Tool {
  return {
    ...row,
    async attempt({ workplace, origin, exchanges }) {
      for (const [name, text] of Object.entries(files)) workplace.write(name, text);
      const address = await workplace.start(start(origin), announced, { SHOP: origin });
      const refusals = await tellStory(address);
      const unknown = refusals.filter((refusal) => !refuses.some((each) => each.test(refusal)));
      assert.deepEqual(unknown, []);
      const gone = refuses.filter((each) => !refusals.some((refusal) => each.test(refusal)));
      assert.deepEqual(gone, [], "It is said to refuse more.");
      expectStory(exchanges, row.lacks);
    },
  };
}
