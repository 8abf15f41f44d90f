import assert from "node:assert/strict";
import { expectStory } from "./story.js";
import type { Tool } from "./tool.js";

/** A tool that writes a client in TypeScript, which is compiled and tells the story. */
export interface Generator extends Omit<Tool, "attempt"> {
  /** Its program and the arguments. */
  readonly generate: readonly string[];
  /** Files that it reads beside the document, from the page with its address. */
  readonly files?: Readonly<Record<string, string>>;
  /** The text of the program that uses the client. */
  readonly program: string;
  /** Options of the compiler beside `--strict`. */
  readonly compile?: readonly string[];
  /** What has to be changed in what it writes, so that it compiles. */
  readonly repair?: { readonly file: string; readonly from: RegExp; readonly to: string };
}

/** What all programs are compiled with. */
const compiler = { typescript: "5.9.3", "@types/node": "24.10.1" };

export function generator({ generate: [tool = "", ...words], files = {}, program, compile = [], repair, ...row }: Generator): Tool {
  return {
    ...row,
    beside: { ...row.beside, ...compiler },
    async attempt({ workplace, origin, exchanges }) {
      for (const [name, text] of Object.entries(files)) workplace.write(name, text.replaceAll("http://127.0.0.1:3000/", "./"));
      await workplace.run(tool, ...words);
      if (repair !== undefined) {
        const text = workplace.read(repair.file);
        assert.match(text, repair.from, "What it writes needs no repair any more.");
        workplace.write(repair.file, text.replaceAll(repair.from, repair.to));
      }
      workplace.write("program.ts", program);
      await workplace.run("tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--types", "node", ...compile, "program.ts");
      await workplace.runScript("program.js", { SHOP: origin });
      expectStory(exchanges, row.lacks);
    },
  };
}
