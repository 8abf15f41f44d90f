import { readdirSync, readFileSync } from "node:fs";

/** The projects of vitest that a mark can put a test file into. */
export type Mark = "slow" | "long" | "isolated";

/** What the first line of a test file says of it: `// @slow`, `// @slow only-in-full`, or nothing. */
export interface MarkedFile {
  /** From the root of the repository. */
  readonly path: string;
  /** A file without a mark is quick. */
  readonly mark: Mark | undefined;
  /** Whether the gate leaves it out. */
  readonly onlyInFull: boolean;
}

/** A mark is a line of its own with an empty line after it, so that sorting the imports leaves it where it is. */
const marks = /^\/\/ @(?<mark>slow|long|isolated)(?<onlyInFull> only-in-full)?\n\n/;

/** What could be meant as a mark, wherever in the file it stands: also in other letters, other comments, and at an indent. */
const marklike = /^\s*\/[/*]+[ \t]*@(?:slow|long|isolated)\b|^\s*\/[/*]+[ \t]*only-in-full/im;

/**
 * Reads the mark of a test file.
 *
 * @throws {Error} if its first line is a comment that begins with `@` and is no mark, or if there is a mark on another line: it would be run as a quick file
 */
export function readMark(path: string, text: string): MarkedFile {
  const found = marks.exec(text);
  const rest = text.slice(found?.[0].length ?? 0);
  if ((found === null && /^\/[/*]+[ \t]*@/.test(text)) || marklike.test(rest))
    throw new Error(
      `${path}: a test file is marked by its first line, "// @slow", "// @long" or "// @isolated", each also with " only-in-full", and an empty line.`,
    );
  return { path, mark: found?.groups?.["mark"] as Mark | undefined, onlyInFull: found?.groups?.["onlyInFull"] !== undefined };
}

/**
 * The test files of the repository with their marks, in the order of their paths. Those of `test/package` have a configuration of their own and no marks.
 *
 * @param root the root of the repository
 */
export function markedFiles(root: URL): readonly MarkedFile[] {
  const names = readdirSync(new URL("test", root), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".test.ts") && !name.startsWith("package/"))
    .sort()
    .map((name) => readMark(`test/${name}`, readFileSync(new URL(`test/${name}`, root), "utf8")));
}
