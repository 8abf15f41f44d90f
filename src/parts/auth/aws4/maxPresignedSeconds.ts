/** The longest validity of a presigned URL, in seconds: a week, as AWS allows. */
export const maxPresignedSeconds = 604_800;
