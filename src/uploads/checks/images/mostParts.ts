/** Chunks or segments of an image; no program writes so many, and reading more would stop others. */
export const mostParts = 100_000;
