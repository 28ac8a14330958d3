-- How far the store was followed: one row, or none. Times are written as slugs are. A step that empties tables empties this one, too.
CREATE TABLE plumbline.followed (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  journal text COLLATE "C" NOT NULL,  -- the lines of its journal up to then are here
  compared text COLLATE "C" NOT NULL  -- when all that it lists was last compared with this
);
