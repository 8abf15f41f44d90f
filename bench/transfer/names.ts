/** What is measured. */
export const names = {
  csv: "import CSV",
  csvByHand: "import CSV by hand",
  ndjson: "import NDJSON",
  copy: "COPY",
  export: "export CSV",
  exportByHand: "export CSV by hand",
} as const;

export type Name = (typeof names)[keyof typeof names];
