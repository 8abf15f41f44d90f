import { programOf } from "./programs.js";
import { expectStory } from "./story.js";
import type { Tool } from "./tool.js";

/** A tool that is used at run time by a program, which tells the story. */
export interface Script extends Omit<Tool, "attempt"> {
  /** The name of the program in the folder of programs. */
  readonly program: string;
  /** A program of the tool that runs before, and its arguments. */
  readonly before?: readonly string[];
}

export function script({ program, before, ...row }: Script): Tool {
  return {
    ...row,
    async attempt({ workplace, origin, exchanges }) {
      if (before !== undefined) {
        const [tool = "", ...words] = before;
        await workplace.run(tool, ...words);
      }
      workplace.write(program, programOf(program));
      await workplace.runScript(program, { SHOP: origin });
      expectStory(exchanges, row.lacks);
    },
  };
}
