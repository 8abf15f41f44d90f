/** What is measured. */
export const names = {
  csv: "import CSV",
  csvUpdate: "import CSV that updates",
  csvParse: "import CSV by hand, csv-parse",
  papaParse: "import CSV by hand, Papa Parse",
  ndjson: "import NDJSON",
  ndjsonByHand: "import NDJSON by hand",
  copy: "COPY",
  export: "export CSV",
  exportByHand: "export CSV by hand",
  exportStringify: "export CSV by hand, csv-stringify",
  exportNdjson: "export NDJSON",
  exportNdjsonByHand: "export NDJSON by hand",
} as const;

export type Name = (typeof names)[keyof typeof names];
