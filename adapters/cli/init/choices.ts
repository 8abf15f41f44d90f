/** The hosts that a project can be made for. */
export const hosts = ["express", "fastify", "hono", "koa"] as const;

/** Where the rows of a project can be kept. */
export const stores = ["sqlite", "postgres"] as const;

/** The languages that a project can be written in. */
export const languages = ["typescript", "javascript"] as const;

export type Host = (typeof hosts)[number];
export type Store = (typeof stores)[number];
export type Language = (typeof languages)[number];

/** What is chosen for a project. */
export interface Choices {
  readonly host: Host;
  readonly store: Store;
  readonly language: Language;
}

/** What a project is made of, beside its choices. */
export interface ProjectPlan extends Choices {
  /** The name of its package. */
  readonly name: string;
  /** What its `package.json` names for restwright: `^1.0.0`, or `file:` and the path of a tarball. */
  readonly restwright: string;
  /** The version of Node that it is made on, as in `process.versions.node`. */
  readonly nodeVersion: string;
}

/** A file of a project. */
export interface ProjectFile {
  /** Relative to the folder of the project, with `/`. */
  readonly path: string;
  readonly text: string;
}
