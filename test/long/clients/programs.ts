import { readFileSync } from "node:fs";

/** A file of the folder of programs. */
export const programOf = (name: string) => readFileSync(new URL(`programs/${name}`, import.meta.url), "utf8");

const page = readFileSync(new URL("../../../docs/clients.md", import.meta.url), "utf8");

/** The first block of a language in a section of docs/clients.md. */
export function blockOf(heading: string, language: string): string {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? "";
  const found = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(section)?.[1];
  if (found === undefined) throw new Error(`docs/clients.md has no block of ${language} below "${heading}".`);
  return found;
}
