-- HMAC-SHA-256 of the token, the person and the end of the session, under a key derived from the master
-- key. Null: a session of a release that had no codes, which has ended.
alter table sessions add column mac bytea;
