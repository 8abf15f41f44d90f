import type { Exchange } from "./recorder.js";
import { type Step, steps } from "./story.js";
import type { Workplace } from "./workplace.js";

/** What a tool is tried with: its packages are installed, and the document is `openapi.json` in its folder. */
export interface Trial {
  readonly workplace: Workplace;
  /** Where the shop is, with its base path. */
  readonly shop: string;
  /** The same behind the recorder. */
  readonly origin: string;
  /** What the shop was asked through the recorder since the trial began. */
  readonly exchanges: readonly Exchange[];
}

/** A tool that reads OpenAPI documents, and what is known of it. */
export interface Tool {
  /** As the table in docs/clients.md has it. */
  readonly name: string;
  /** The tool first, then what belongs to it, with the versions that the table speaks of. */
  readonly packages: Readonly<Record<string, string>>;
  /** What it needs besides, in the versions that it takes. `--newest` leaves them as they are. */
  readonly beside?: Readonly<Record<string, string>>;
  /** Settings of the shop that it is tried with. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What the trial proves, as Markdown. */
  readonly works: string;
  /** What else is to be known of it. The trial shows that as well. */
  readonly differs?: string;
  /** Steps of the story that it cannot do, and why. The trial fails if it does one of them, so that the table changes. */
  readonly lacks?: Partial<Readonly<Record<Step, string>>>;
  /** @throws {Error} if the tool does not do what the table says */
  attempt(trial: Trial): Promise<void>;
}

/** The row of docs/clients.md. */
export function rowOf({ name, packages, works, differs, lacks = {} }: Tool): string {
  const [version = ""] = Object.values(packages);
  const reasons = steps.flatMap((step) => (lacks[step] === undefined ? [] : [`${step}: ${lacks[step]}`]));
  return `| ${[name, version, works, [...reasons, ...(differs === undefined ? [] : [differs])].join("; ")].join(" | ")} |`;
}
