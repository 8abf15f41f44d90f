/** Type of the jobs of imports, and the segment of their paths. */
export const importJobs = { type: "import", path: "imports" } as const;
