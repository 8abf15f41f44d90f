import assert from "node:assert/strict";
import type { Tool } from "./tool.js";

/** A tool that finds faults in documents. */
export interface Linter extends Omit<Tool, "attempt"> {
  /** Its program and the arguments. */
  readonly run: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** The rules that its output names. */
  rulesOf(output: string): readonly string[];
  /** The rules that are known to be broken, as `differs` explains. */
  readonly broken: readonly string[];
}

export function linter({ run: [program = "", ...words], files = {}, rulesOf, broken, ...row }: Linter): Tool {
  return {
    ...row,
    async attempt({ workplace }) {
      for (const [name, text] of Object.entries(files)) workplace.write(name, text);
      const output = await workplace.ask(program, ...words);
      assert.deepEqual([...new Set(rulesOf(output))].sort(), [...broken].sort());
    },
  };
}
